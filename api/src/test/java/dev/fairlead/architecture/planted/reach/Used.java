package dev.fairlead.architecture.planted.reach;

public class Used {}
