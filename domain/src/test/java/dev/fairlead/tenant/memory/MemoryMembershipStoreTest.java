package dev.fairlead.tenant.memory;

import dev.fairlead.tenant.MembershipStoreContract;
import dev.fairlead.world.Stores;
import dev.fairlead.world.memory.MemoryStores;

class MemoryMembershipStoreTest extends MembershipStoreContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
