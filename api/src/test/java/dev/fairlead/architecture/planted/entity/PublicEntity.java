package dev.fairlead.architecture.planted.entity;

@Entity
public class PublicEntity {}
