"""Loads the plugins that compare the pictures of notebooks and leave out what has passed.

A conftest.py of this folder alone may name plugins.
"""

pytest_plugins = ["nbval_pictures", "stamps"]
