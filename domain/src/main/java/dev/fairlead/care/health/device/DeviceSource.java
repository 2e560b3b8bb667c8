package dev.fairlead.care.health.device;

/** The source of a device's location. Later values are trusted more. */
public enum DeviceSource {
  /** A fault that names the device and the machine. */
  EVENT,
  /** A list of all devices of a machine. */
  INVENTORY
}
