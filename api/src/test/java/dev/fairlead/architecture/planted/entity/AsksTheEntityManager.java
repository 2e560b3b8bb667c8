package dev.fairlead.architecture.planted.entity;

import jakarta.persistence.EntityManager;

record AsksTheEntityManager(EntityManager entities) {}
