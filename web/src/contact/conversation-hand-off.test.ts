import { beforeEach, describe, expect, it } from 'vitest'
import { handOverConversation } from './conversation-hand-off.ts'
import { handedOverConversation } from './handed-over-conversation.ts'

const conversation = {
  userId: 3,
  username: 'sarah',
  profileImage: null,
  productId: 7,
  productName: 'Oud Wood',
  templateMessage: 'Between us',
  isOffer: false,
}

beforeEach(() => sessionStorage.clear())

describe('a conversation that was handed over', () => {
  it('is there for whom it was handed over, and for nobody else', () => {
    handOverConversation(10, conversation)
    expect(handedOverConversation(10)).toEqual(conversation)
    expect(handedOverConversation(11)).toBeNull()
  })

  it.each([
    ['of nobody known, as earlier versions kept it', JSON.stringify(conversation)],
    ['that is half there', JSON.stringify({ ownId: 10, userId: 3 })],
    ['that cannot be read', '{'],
  ])('%s is for nobody', (_, stored) => {
    sessionStorage.setItem('selectedConversation', stored)
    expect(handedOverConversation(10)).toBeNull()
  })
})
