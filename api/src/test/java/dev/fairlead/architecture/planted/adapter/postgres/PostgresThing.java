package dev.fairlead.architecture.planted.adapter.postgres;

public class PostgresThing {}
