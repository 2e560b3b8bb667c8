package dev.fairlead.architecture.planted.entity;

@Entity
class Unversioned {
  long version;
}
