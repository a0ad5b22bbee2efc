"""Loads the plugin that compares the pictures of notebooks; a conftest.py of this folder alone may name plugins."""

pytest_plugins = ["nbval_pictures"]
