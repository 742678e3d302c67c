"""The verbs: what the product does. A request's type names its verb."""

from collections.abc import Callable
from typing import Any

from commonplace.core import (
    about,
    access,
    briefing,
    collections,
    deciding,
    facts,
    folders,
    forgetting,
    graph,
    history,
    items,
    jobs,
    plans,
    proposals,
    recall,
    relations,
    reports,
    requests,
    reviews,
)
from commonplace.core.app import App
from commonplace.core.checking import check
from commonplace.model.access import Caller

VERBS: dict[type, Callable[[App, Caller, Any], Any]] = {
    requests.Store: items.store,
    requests.Supersede: items.supersede,
    requests.Retract: items.retract,
    requests.Get: items.get,
    requests.List: items.list_items,
    requests.ListPage: items.list_page,
    requests.Amend: items.amend,
    requests.Move: items.move,
    requests.Recall: recall.recall,
    requests.Context: briefing.context,
    requests.Brief: briefing.brief,
    requests.AssertFact: facts.assert_fact,
    requests.CorrectFact: facts.correct_fact,
    requests.InvalidateFact: facts.invalidate_fact,
    requests.FactsAbout: facts.facts_about,
    requests.About: about.about,
    requests.ChangesOf: facts.changes,
    requests.HealthOf: facts.health_of,
    requests.Link: relations.link,
    requests.Unlink: relations.unlink,
    requests.RelationsOf: relations.relations_of,
    requests.ListRelationTypes: graph.list_relation_types,
    requests.ExportShapes: graph.export_shapes,
    requests.ExportGraph: graph.export_graph,
    requests.Propose: proposals.propose,
    requests.Apply: proposals.apply,
    requests.Forget: forgetting.forget,
    requests.ListCollections: collections.list_collections,
    requests.CreateCollection: collections.create_collection,
    requests.SetCollection: collections.set_collection,
    requests.DeleteCollection: collections.delete_collection,
    requests.CreateFolder: folders.create_folder,
    requests.DeleteFolder: folders.delete_folder,
    requests.ListFolders: folders.list_folders,
    requests.FileItem: folders.file_item,
    requests.UnfileItem: folders.unfile_item,
    requests.CheckReady: reports.check_ready,
    requests.CountAll: reports.count_all,
    requests.History: history.history,
    requests.Undo: history.undo,
    requests.Enqueue: jobs.enqueue,
    requests.CancelJob: jobs.cancel_job,
    requests.ListJobs: jobs.list_jobs,
    requests.DecideReview: deciding.decide_review,
    requests.ListReviews: reviews.list_reviews,
    requests.ShowWorkspace: plans.show_workspace,
    requests.ChoosePlan: plans.choose_plan,
    requests.IssueToken: access.issue_token,
    requests.RevokeToken: access.revoke_token,
    requests.ListTokens: access.list_tokens,
}


def perform(app: App, caller: Caller, request: object) -> Any:
    """Do what a request asks for."""
    check(request)
    return VERBS[type(request)](app, caller, request)
