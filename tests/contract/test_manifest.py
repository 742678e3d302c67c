from collections import Counter

import pytest
from requirements import RULE, Contract, citations, contracts

EVERY = pytest.mark.parametrize("contract", contracts(), ids=lambda contract: contract.name)
CITED = {rule for rule, _ in citations()}


@EVERY
def test_every_rule_is_cited_by_a_test_or_pending(contract: Contract) -> None:
    assert contract.rules.keys() - CITED == contract.pending.keys()


@EVERY
def test_what_stands_beside_the_rules_is_about_rules(contract: Contract) -> None:
    beside = contract.pending.keys() | contract.gaps.keys() | contract.divergences.keys()
    assert beside <= contract.rules.keys()
    assert all(RULE.fullmatch(rule) for rule in contract.rules)


def test_every_cited_rule_is_one_of_a_contract() -> None:
    known = Counter(rule for contract in contracts() for rule in contract.rules)
    assert not [where for rule, where in citations() if rule not in known]
    assert set(known.values()) <= {1}
