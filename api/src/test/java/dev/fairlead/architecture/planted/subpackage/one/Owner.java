package dev.fairlead.architecture.planted.subpackage.one;

import dev.fairlead.architecture.planted.subpackage.one.service.Inner;

class Owner {
  Inner inner;
}
