from commonplace.surfaces.contract import Surface
from commonplace.surfaces.graniite import GRANIITE
from commonplace.surfaces.graniite_rest import GRANIITE_REST
from commonplace.surfaces.graphnosis import GRAPHNOSIS
from commonplace.surfaces.knowmind import KNOWMIND
from commonplace.surfaces.knowmind_rest import KNOWMIND_REST
from commonplace.surfaces.kronroe import KRONROE
from commonplace.surfaces.native import NATIVE
from commonplace.surfaces.native_rest import NATIVE_REST
from commonplace.surfaces.routes import Rest
from commonplace.surfaces.union import union

DIALECTS = (KNOWMIND, GRANIITE, KRONROE, GRAPHNOSIS)
SURFACES: dict[str, Surface] = {surface.name: surface for surface in (NATIVE, *DIALECTS, union(NATIVE, DIALECTS))}
RESTS: tuple[Rest, ...] = (KNOWMIND_REST, GRANIITE_REST, NATIVE_REST)
