package dev.fairlead.architecture.planted.order.right;

public class LooksLeft {}
