"""Commands search by words alone here, also in processes of their own and whatever is installed."""

import os

os.environ.setdefault("ENISHI_EMBEDDER", "none")
