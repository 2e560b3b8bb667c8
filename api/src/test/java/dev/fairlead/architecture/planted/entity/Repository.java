package dev.fairlead.architecture.planted.entity;

/** Replaces Spring Data's repository, which would require the planted entity in every test. */
interface Repository<E, I> {}
