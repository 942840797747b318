"""What words say by themselves: sentences, numbers, days, and whether they carry a claim."""
