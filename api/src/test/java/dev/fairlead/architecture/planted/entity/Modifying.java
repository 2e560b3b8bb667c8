package dev.fairlead.architecture.planted.entity;

@interface Modifying {}
