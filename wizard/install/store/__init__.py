"""The package store: every wheel unpacked once, by its hash; environments get links to its files, not copies.

It installs nothing and fetches nothing: `build` fills it, `link` hands files out, `space` looks after it.
"""

from wizard.install.store.folder import PackageStore, StoreEntry

__all__ = ["StoreEntry", "PackageStore"]
