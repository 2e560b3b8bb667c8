package dev.fairlead.architecture.planted.entity;

/** Stands for the real annotation, which would put the planted entity into the test database. */
@interface Entity {}
