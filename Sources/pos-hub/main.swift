print("pos-hub")
