"""What a configuration file says, checked before anything is read."""
