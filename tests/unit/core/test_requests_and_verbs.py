import inspect

from commonplace.core import VERBS, requests


def test_every_request_has_its_verb() -> None:
    kinds = {kind for _, kind in inspect.getmembers(requests, inspect.isclass) if kind.__module__ == requests.__name__}
    assert kinds == set(VERBS)
