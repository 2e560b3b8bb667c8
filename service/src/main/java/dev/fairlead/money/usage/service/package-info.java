/** Keeps the books of what the fleet is used for. */
@NullMarked
package dev.fairlead.money.usage.service;

import org.jspecify.annotations.NullMarked;
