"""The book on paper: the pages of the built site, printed by Chromium and bound into a volume for each part."""
