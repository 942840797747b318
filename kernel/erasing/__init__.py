"""What is destroyed for good: the plan, the deed, the scrubbed bytes, the receipt and its proof."""
