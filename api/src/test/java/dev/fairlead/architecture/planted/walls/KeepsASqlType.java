package dev.fairlead.architecture.planted.walls;

import java.sql.Timestamp;

class KeepsASqlType {
  Timestamp[] times = {};
}
