package dev.fairlead.care.health;

/** What says where a device is; the later value is trusted more. */
public enum DeviceSource {
  /** A fault that names the device and the machine. */
  EVENT,
  /** A list of all devices of a machine. */
  INVENTORY
}
