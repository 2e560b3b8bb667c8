package dev.fairlead.architecture.planted.border.web;

/** Stands for Spring's. */
@interface RequestBody {}
