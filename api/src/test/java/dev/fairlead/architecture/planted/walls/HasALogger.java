package dev.fairlead.architecture.planted.walls;

import org.slf4j.Logger;

class HasALogger {
  Logger log;
}
