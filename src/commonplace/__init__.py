"""Commonplace: a memory that AI agents and the people behind them share."""

__version__ = "0.1.0"
