package dev.fairlead.architecture.planted.entity;

import java.util.List;

@Entity
class Thing {
  @Version long version;
  @OneToMany List<Thing> neighbours = List.of();
}
