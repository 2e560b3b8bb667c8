package dev.fairlead.architecture.planted.walls;

import java.net.URI;

class OpensAUrl {
  URI address = URI.create("https://example.org");
}
