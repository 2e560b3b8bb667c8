package dev.fairlead.architecture.planted.entity;

/** Stands for Spring Data's, which would ask for the planted entity at the start of every test. */
interface Repository<E, I> {}
