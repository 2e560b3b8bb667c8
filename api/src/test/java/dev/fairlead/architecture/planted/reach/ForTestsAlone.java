package dev.fairlead.architecture.planted.reach;

public class ForTestsAlone {
  Used used;
}
