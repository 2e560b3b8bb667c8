/** Reads what speaks against nodes. */
@NullMarked
package dev.fairlead.care.lemon.service;

import org.jspecify.annotations.NullMarked;
