package dev.fairlead.architecture.planted.subpackage.one.service;

public class Inner {}
