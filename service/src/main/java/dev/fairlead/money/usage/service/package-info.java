/** Accounting of the use of the fleet. */
@NullMarked
package dev.fairlead.money.usage.service;

import org.jspecify.annotations.NullMarked;
