package dev.fairlead.architecture.planted.subpackage.two;

import dev.fairlead.architecture.planted.subpackage.one.service.Inner;

class Intruder {
  Inner inner;
}
