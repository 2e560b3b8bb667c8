package dev.fairlead.architecture.planted.adapter.web;

import dev.fairlead.architecture.planted.adapter.postgres.PostgresThing;

class ThingPage {
  PostgresThing[] things = {};
}
