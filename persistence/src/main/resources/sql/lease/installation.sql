SELECT id, incarnation FROM installation
