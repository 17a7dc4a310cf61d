"""The formats in which projects say what they need: one reader each, and the choice by a file's name."""
