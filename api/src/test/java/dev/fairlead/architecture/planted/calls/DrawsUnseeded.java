package dev.fairlead.architecture.planted.calls;

import java.util.Random;

class DrawsUnseeded {
  Random dice = new Random();
}
