package dev.fairlead.job;

/**
 * A part of one GPU of a node.
 *
 * @param index position of the device on its node
 * @param milli thousandths of it
 */
public record GpuShare(int index, String serial, int milli) {}
