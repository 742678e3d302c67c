from commonplace.surfaces.contract import Surface
from commonplace.surfaces.native import NATIVE

SURFACES: dict[str, Surface] = {surface.name: surface for surface in (NATIVE,)}
