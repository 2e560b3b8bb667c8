package dev.fairlead.architecture.planted.reach;

public class Served {
  Used used;
}
