package dev.fairlead.architecture.planted.controller;

class ForgottenController {}
