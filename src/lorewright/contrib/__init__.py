"""What stands beside the product and can be left out."""
