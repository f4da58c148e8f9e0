// What a user needs to be allowed to use models, and to keep collections.

export const inferencePrivilege = 'accessAndManageAiModelHub';
