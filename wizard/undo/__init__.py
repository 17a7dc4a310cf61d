"""Every write into a user's file is noted first and can be taken back."""
