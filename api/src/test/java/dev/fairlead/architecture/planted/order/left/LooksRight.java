package dev.fairlead.architecture.planted.order.left;

import dev.fairlead.architecture.planted.order.right.LooksLeft;

public class LooksRight {
  LooksLeft right;
}
