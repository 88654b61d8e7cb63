"""What every sandbox driver must do, tried with real attacks.

A driver's test module derives one class from each of these and gives the fixture `sandbox`.
"""

from tests.sandbox.conformance.bounds import Bounds
from tests.sandbox.conformance.folders import Folders
from tests.sandbox.conformance.isolation import Isolation
from tests.sandbox.conformance.network import BuildNetwork
from tests.sandbox.conformance.programs import Programs

__all__ = ["Bounds", "BuildNetwork", "Folders", "Isolation", "Programs"]
