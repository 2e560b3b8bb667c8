package dev.fairlead.architecture.planted.border;

record ShownValue(String title, long size, String owner, boolean open) {}
