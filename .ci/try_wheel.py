"""Import every module of the installed package, and look at where it comes from."""

import importlib
import pkgutil
from pathlib import Path

import enishi

place = Path(enishi.__file__).parent
assert "site-packages" in place.parts, place
names = [m.name for m in pkgutil.walk_packages(enishi.__path__, "enishi.")]
for name in names:
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        assert error.name == "numpy", error  # of an extra, without which nothing else imports it
for name in enishi.__all__:
    getattr(enishi, name)
assert (place / "py.typed").is_file()
assert (place / "kernel" / "rules" / "en.toml").is_file()
enishi.RuleProposer()
print(f"{len(names)} modules imported from the wheel")
