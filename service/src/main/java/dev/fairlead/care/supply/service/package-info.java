/** Requests nodes from suppliers of pools, and returns empty ones. */
@NullMarked
package dev.fairlead.care.supply.service;

import org.jspecify.annotations.NullMarked;
